/**
 * Runs `load` on the first call and answers its promise to all later ones. For code that a start does not need:
 * `import()` alone resolves its specifier again at every call.
 */
export function onFirstUse<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}
