import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [{ test: { name: 'unit', include: ['test/{unit,contract,conformance,fault}/**/*.test.ts', 'test/*.test.ts'], testTimeout: 30_000 } }],
  },
});
