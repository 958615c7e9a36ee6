// What the page remembers of its user from one visit to the next, by key. A page from disk may have no storage: then it remembers nothing.

export function recall(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

export function remember(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch {
        // as above
    }
}
