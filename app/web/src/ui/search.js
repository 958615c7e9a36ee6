// The first of `count` places at which a test holds that fails before it and holds from there on; count: at none.
export function firstPlace(count, holds) {
    let low = 0, high = count;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (holds(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
