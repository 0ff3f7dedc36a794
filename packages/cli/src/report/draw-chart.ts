import { escapeHtml } from './escape-html.ts';

/** One kind of thing over the days; what goes `down` is drawn below the line. */
export interface Series {
  readonly name: string;
  readonly tone: string;
  readonly direction: 'up' | 'down';
  readonly values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 320;
const LEFT = 56;
const BOTTOM = 26;
const TOP = 10;
const GAP = 1.5;

/**
 * Stacked bars by day, above and below one line, as an SVG of its own. Every bar says its figure when pointed at; the
 * table beside it says all of them, so the picture itself is one image with a name.
 */
export function drawChart(title: string, days: readonly string[], series: readonly Series[]): string {
  const top = niceMost(stacked(series, 'up', days.length));
  const bottom = niceMost(stacked(series, 'down', days.length));
  const scale = (HEIGHT - TOP - BOTTOM) / Math.max(1, top + bottom);
  const zero = TOP + top * scale;
  const step = (WIDTH - LEFT) / days.length;
  const bars = days.flatMap((day, index) => {
    const ends = { up: zero, down: zero };
    return series.flatMap(({ name, tone, direction, values }) => {
      const value = values[index] ?? 0;
      if (value <= 0) return [];
      const height = value * scale;
      const y = direction === 'up' ? ends.up - height : ends.down;
      ends[direction] += direction === 'up' ? -height : height;
      const shown = Math.max(1, height - GAP);
      const place = `x="${fixed(LEFT + index * step + step * 0.14)}" y="${fixed(y)}" width="${fixed(step * 0.72)}" height="${fixed(shown)}"`;
      return [
        `<rect class="${tone}" ${place} rx="1.5"><title>${escapeHtml(`${day}: ${name} ${value}`)}</title></rect>`,
      ];
    });
  });
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(`${title}; the table beside it has the figures`)}">`,
    ...ticks(top, bottom).map((value) => gridLine(value, zero - value * scale)),
    ...bars,
    `<line class="zero" x1="${LEFT}" x2="${WIDTH}" y1="${fixed(zero)}" y2="${fixed(zero)}"/>`,
    ...dayLabels(days, step),
    '</svg>',
  ].join('\n');
}

function stacked(series: readonly Series[], direction: Series['direction'], days: number): number {
  const sums = Array.from({ length: days }, (_, index) =>
    series
      .filter((one) => one.direction === direction)
      .reduce((sum, { values }) => sum + Math.max(0, values[index] ?? 0), 0),
  );
  return Math.max(0, ...sums);
}

/** The next of 1, 2 or 5 times a power of ten. */
function niceMost(most: number): number {
  if (most === 0) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

function ticks(top: number, bottom: number): readonly number[] {
  const apart = Math.max(1, niceMost(Math.max(top, bottom) / 4));
  const above = Array.from({ length: Math.floor(top / apart) }, (_, index) => (index + 1) * apart);
  const below = Array.from({ length: Math.floor(bottom / apart) }, (_, index) => -(index + 1) * apart);
  return [0, ...above, ...below];
}

function gridLine(value: number, y: number): string {
  const text = new Intl.NumberFormat('en', { notation: 'compact' }).format(Math.abs(value));
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${fixed(y)}" y2="${fixed(y)}"/><text x="${LEFT - 8}" y="${fixed(y + 4)}" text-anchor="end">${text}</text>`;
}

function dayLabels(days: readonly string[], step: number): readonly string[] {
  const every = Math.ceil(days.length / 8);
  return days.flatMap((day, index) =>
    index % every === 0
      ? [
          `<text x="${fixed(LEFT + (index + 0.5) * step)}" y="${HEIGHT - 6}" text-anchor="middle">${day.slice(5)}</text>`,
        ]
      : [],
  );
}

const fixed = (value: number): string => String(Math.round(value * 100) / 100);
