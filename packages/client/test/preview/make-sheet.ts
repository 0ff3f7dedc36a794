import type { Page } from 'playwright-core';

export interface Picture {
  readonly name: string;
  readonly png: Buffer;
}

interface SheetOptions {
  readonly columns: number;
  readonly path: string;
}

const COLUMN = 300;

/** Lays pictures out side by side, each under its name, and writes them as one file. */
export async function makeSheet(
  page: Page,
  pictures: readonly Picture[],
  options: SheetOptions,
): Promise<void> {
  const figures = pictures.map(
    ({ name, png }) =>
      `<figure>${name}<img src="data:image/png;base64,${png.toString('base64')}" width="${COLUMN}"></figure>`,
  );
  await page.setViewportSize({ width: options.columns * (COLUMN + 16) + 16, height: 800 });
  await page.setContent(
    `<style>
      body { display: grid; grid-template-columns: repeat(${options.columns}, ${COLUMN}px); gap: 16px; margin: 16px;
        align-items: start; background: #808088; color: #fff; font: 13px system-ui; }
      figure { margin: 0 } img { display: block; margin-top: 4px }
    </style>${figures.join('')}`,
  );
  await page.screenshot({ path: options.path, fullPage: true, type: 'jpeg', quality: 80 });
}
