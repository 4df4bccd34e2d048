import { centers } from '../../../src/gateway/mount/centers.ts';
import type { Route } from '../../../src/kernel/app/route.ts';
import { uploadFirmware } from '../lwm2m/upload-firmware.ts';
import { uploadManual } from '../manuals/upload.ts';
import type { Session } from '../people/session.ts';
import { uploadFile } from '../people/upload.ts';
import type { Example, Input } from './examples/example.ts';

export type Row = Route & { center: string; name: string; key: string };

/** Every route of the centers' tables; `key` is its path below `/api/v3`. */
export const rows: readonly Row[] = Object.entries(centers).flatMap(([center, routes]) =>
  routes.map((route) => ({
    ...route,
    center,
    key: `${center}${route.path}`,
    name: `${route.method.toUpperCase()} /api/v3/${center}${route.path}`,
  })),
);

/** Sends a call and throws unless it is answered as its example says. */
export async function send(
  row: Row,
  { input, session, status = 200 }: Example & { session: Session },
): Promise<void> {
  const path = `/api/v3/${row.key}`;
  const answer =
    row.file !== undefined
      ? await uploadTo(row, session, input)
      : row.csv === 'answer' || row.csv === 'stream' || row.parquet || row.download === true
        ? await tableFrom(row, session, input)
        : row.method === 'get'
          ? await session.get(path, queryOf(input))
          : await session.post(path, input);
  if (answer.status !== status)
    throw new Error(
      `${row.name} answered ${answer.status} to ${JSON.stringify(input)}: ${JSON.stringify(answer.body)}`,
    );
}

/** An answer that is no envelope, read to its end: it may be made meanwhile. */
async function tableFrom({ method, key }: Row, { base, headers }: Session, input: Input) {
  const url = `${base}/api/v3/${key}`;
  const response =
    method === 'get'
      ? await fetch(`${url}?${new URLSearchParams(queryOf(input)).toString()}`, { headers })
      : await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        });
  return { status: response.status, body: await response.text() };
}

const queryOf = (input: Input): Record<string, string> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));

/** A small file to a route that takes one. */
function uploadTo(row: Row, session: Session, input: Example['input']) {
  if (row.key.includes('manual'))
    return uploadManual(session, 'A page.', 'a.txt', { manual_name: String(input['manualName']) });
  if (!row.key.includes('firmware'))
    return uploadFile(session, String(input['conversationId']), 'a file');
  const { packageName, packageVersion } = input;
  return uploadFirmware(session, Buffer.from('firmware'), {
    package_name: String(packageName),
    package_version: String(packageVersion),
  });
}
