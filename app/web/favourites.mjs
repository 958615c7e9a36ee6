// Scenes that are most fun to touch, in the order of the gallery.
export const FAVOURITES = [
    "tie", "overhand", "swing", "twist_buckle", "square_knot", "pile", "der/fig9", "mobile", "corde/fig6_springs",
];
