import type { Rolldown } from 'vite';
import { REACT_FILE } from './measure-bundles.ts';

const REACT = /\/node_modules\/(?:react|react-dom|scheduler)\/|rolldown\/runtime/;
const PAGES = /\/(?:packages|extension)\/.*(?<!background)\.tsx?$/;

/**
 * React gets a file of its own, so that the rest is what billing adds to a page that has React (measure-bundles.ts).
 * What two pages share is one file: left to itself the bundler makes a dozen, each compressed by itself.
 */
export const codeSplitting: Rolldown.CodeSplittingOptions = {
  groups: [
    { name: REACT_FILE, test: REACT, priority: 1 },
    { name: 'pages', test: PAGES, minShareCount: 3 },
  ],
};
