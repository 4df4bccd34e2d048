import { isRecord } from './record.ts';

/** -32020: the library's own code for it has no name among its exports. */
const HEADER_MISMATCH = -32_020;
const OF_TASKS = new Set(['tasks/get', 'tasks/update', 'tasks/cancel']);

/**
 * The refusal of a `tasks/` request of 2026-07-28 whose header `Mcp-Name` is not its task, null for others; the
 * library compares the name of its own methods only.
 */
export function wrongTaskName(request: Request, body: unknown): Response | null {
  const method = request.headers.get('mcp-method')?.trim() ?? '';
  if (!OF_TASKS.has(method)) return null;
  if (!isRecord(body) || body['method'] !== method || !isRecord(body['params'])) return null;
  const { taskId } = body['params'];
  if (typeof taskId !== 'string' || request.headers.get('mcp-name')?.trim() === taskId) return null;
  const message = 'The header Mcp-Name has to be the taskId';
  const id = typeof body['id'] === 'string' || typeof body['id'] === 'number' ? body['id'] : null;
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: HEADER_MISMATCH, message } },
    { status: 400 },
  );
}
