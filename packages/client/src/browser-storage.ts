/**
 * The parts of `chrome.storage` that public functions take. Said here, so that the package's declarations name no
 * `chrome` global: an extension may have its types from elsewhere, or none.
 */
export interface StorageArea {
  get(key: string): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface BrowserStorage {
  readonly local: StorageArea;
  readonly session: StorageArea;
  readonly onChanged: {
    addListener(listener: StorageListener): void;
    removeListener(listener: StorageListener): void;
  };
}
export type StorageListener = (
  changes: Readonly<Record<string, { readonly oldValue?: unknown; readonly newValue?: unknown }>>,
  areaName: string,
) => void;
