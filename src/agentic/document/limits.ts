/** Of the process that reads one file; the heap of its thread is a part of the resident bytes. */
export const MAX_HEAP_MB = 96;
export const MAX_RESIDENT_BYTES = 320 * 1024 * 1024;
export const MAX_READING_MS = 5_000;
