import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { build } from 'esbuild';

/** Of the package that drivers outside of this repository install. */
const NAME = '@device-data-platform/driver-sdk';
const ENTRY = 'driver/package/index.ts';
const CHECK = 'driver/package/main.ts';

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
}

/**
 * Makes the SDK a tarball in `into`: JavaScript, types and `svc-driver-check`, which install without a registry. Answers
 * its path.
 */
async function pack(into: string): Promise<string> {
  const { version, license } = JSON.parse(await readFile('package.json', 'utf8'));
  const directory = await mkdtemp(join(tmpdir(), 'driver-sdk-'));
  try {
    await build({
      entryPoints: { index: ENTRY, 'svc-driver-check': CHECK },
      outdir: join(directory, 'js'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
      },
      logLevel: 'error',
    });
    const types = join(directory, 'types');
    const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false'];
    const place = ['--rootDir', '.', '--outDir', types, '--incremental', 'false'];
    const project = join(process.cwd(), '.driver-sdk.json');
    const settings = { extends: './tsconfig.json', include: [ENTRY] };
    await writeFile(project, JSON.stringify(settings));
    try {
      run(resolve('node_modules/.bin/tsc'), ['-p', project, ...options, ...place], '.');
    } finally {
      await rm(project);
    }
    // A declaration names declarations.
    for (const file of globSync('**/*.d.ts', { cwd: types })) {
      const text = await readFile(join(types, file), 'utf8');
      await writeFile(
        join(types, file),
        text.replaceAll(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
      );
    }
    // The types of messages are those of their schemas.
    await mkdir(join(directory, 'node_modules'), { recursive: true });
    await cp('node_modules/zod', join(directory, 'node_modules/zod'), {
      recursive: true,
      dereference: true,
    });
    const zod = JSON.parse(await readFile('node_modules/zod/package.json', 'utf8'));
    const manifest = {
      name: NAME,
      version,
      license,
      description: 'The contract of drivers of the Device Data Platform, and its check',
      type: 'module',
      exports: { '.': { types: './types/driver/package/index.d.ts', default: './js/index.js' } },
      bin: { 'svc-driver-check': './js/svc-driver-check.js' },
      engines: { node: '>=22' },
      files: ['js', 'types'],
      dependencies: { zod: zod.version },
      bundledDependencies: ['zod'],
    };
    await writeFile(join(directory, 'package.json'), JSON.stringify(manifest, null, 2));
    await mkdir(into, { recursive: true });
    const [packed] = JSON.parse(
      run(
        'npm',
        ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(into)],
        directory,
      ),
    );
    return join(resolve(into), packed.filename);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

process.stdout.write(`${await pack(process.argv[2] ?? '.')}\n`);
