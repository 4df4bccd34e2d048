import { parentPort, workerData } from 'node:worker_threads';

import type { Read } from './read.ts';

async function read(): Promise<Read> {
  const { bytes, length, format } = Object(workerData);
  if (!(bytes instanceof Uint8Array)) throw new Error('started outside its process');
  if (format === 'pdf') return (await import('./pdf.ts')).readPdf(bytes, Number(length));
  return (await import('./office.ts')).readOffice(bytes, String(format), Number(length));
}

parentPort?.postMessage(await read(), []);
