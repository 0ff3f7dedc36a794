/** The API version that stripe (Node) 23.1 pins, and that the simulator's objects have the shape of. */
export const API_VERSION = '2026-10-28.endive';
