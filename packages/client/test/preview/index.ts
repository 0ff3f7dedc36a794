import { PREVIEW_SURFACES, type PreviewSurface, previewStates } from './states.ts';

const SIZES: Readonly<Record<PreviewSurface, readonly [number, number]>> = {
  popup: [360, 560],
  'side-panel': [400, 800],
  options: [1100, 900],
};
const frames = document.querySelector('#frames');
const selects = [...document.querySelectorAll('select')];
for (const name of Object.keys(previewStates(Date.now()))) {
  document.querySelector('[name=state]')?.append(new Option(name));
}

function show(): void {
  const query = new URLSearchParams(selects.map(({ name, value }) => [name, value]));
  const figures = PREVIEW_SURFACES.map((surface) => {
    const [width, height] = SIZES[surface];
    const frame = Object.assign(document.createElement('iframe'), {
      src: `./show.html?surface=${surface}&${query}`,
      title: surface,
      width,
      height,
    });
    const figure = document.createElement('figure');
    figure.append(surface, document.createElement('br'), frame);
    return figure;
  });
  frames?.replaceChildren(...figures);
}
for (const select of selects) select.addEventListener('change', show);
show();
