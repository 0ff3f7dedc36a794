/** A time in seconds as its day in this machine's time zone: `November 28, 2026`. */
export function formatDay(seconds: number): string;

/** A time in seconds to the second, in this machine's time zone: `Nov 28, 2026, 4:05:09 PM`. */
export function formatMoment(seconds: number): string;
export function formatTime(seconds: number): string;
