// Who wants to know what: listeners by the name of what happens.

export class Events {
    #listeners = new Map();

    on(name, listener) {
        const list = this.#listeners.get(name) ?? [];
        list.push(listener);
        this.#listeners.set(name, list);
    }

    emit(name, value) {
        for (const listener of this.#listeners.get(name) ?? []) {
            listener(value);
        }
    }
}
