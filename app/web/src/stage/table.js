// Four numbers for each of a growing count of things, as a texture that vertex shaders look up.
import { DataTexture, FloatType, NearestFilter, RGBAFormat, RGBAIntegerFormat, UnsignedIntType } from "three";

const WIDTH = 1024; // as tableRow in the shaders has it

export class Table {
    // `Numbers` is Float32Array or Uint32Array.
    constructor(Numbers) {
        this.Numbers = Numbers;
        this.uniform = { value: null };
        this.data = new Numbers(0);
        this.hold(1);
    }

    // Room for `count` things; what was there is lost when it grows.
    hold(count) {
        const rows = Math.ceil(count / WIDTH);
        if (4 * WIDTH * rows <= this.data.length) {
            return;
        }
        const grown = Math.ceil(1.25 * rows), isFloat = this.Numbers === Float32Array; // adaptive rods change their counts often
        this.uniform.value?.dispose();
        this.data = new this.Numbers(4 * WIDTH * grown);
        const texture = new DataTexture(this.data, WIDTH, grown, isFloat ? RGBAFormat : RGBAIntegerFormat,
                                        isFloat ? FloatType : UnsignedIntType);
        texture.internalFormat = isFloat ? "RGBA32F" : "RGBA32UI";
        texture.minFilter = texture.magFilter = NearestFilter;
        texture.unpackAlignment = 4;
        this.uniform.value = texture;
    }

    // Three numbers each from `from`; the fourth stays.
    putVectors(from, count) {
        const { data } = this;
        for (let i = 0, k = 0, j = 0; i < count; i++, k += 3, j += 4) {
            data[j] = from[k];
            data[j + 1] = from[k + 1];
            data[j + 2] = from[k + 2];
        }
        this.send();
    }

    putFourth(from, count) {
        for (let i = 0; i < count; i++) {
            this.data[4 * i + 3] = from[i];
        }
        this.send();
    }

    send() {
        this.uniform.value.needsUpdate = true;
    }
}
