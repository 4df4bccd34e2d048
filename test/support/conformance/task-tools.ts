import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import type { TaskKind } from '../../../src/kernel/app/app.ts';
import type { Content, Question, Reply, Task } from '../../../src/kernel/app/exchange.ts';
import { answered, asks, fixture, form, PERMISSION, said, text } from './fixture.ts';

const JOB_MS = 1_000;
const ENDED = ['completed', 'failed', 'cancelled'];

/** Tasks in memory: the product's own are actions. */
function openTasks() {
  const tasks = new Map<string, Task>();
  const stamp = () => new Date().toISOString();
  const settle = (task: Task, end: Partial<Task>) => {
    if (!ENDED.includes(task.status)) Object.assign(task, { lastUpdatedAt: stamp() }, end);
  };
  const start = (questions?: Record<string, Question>): Task => {
    const now = stamp();
    const task: Task = {
      taskId: randomUUID(),
      status: questions ? 'input_required' : 'working',
      statusMessage: '',
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: 60_000,
      pollIntervalMs: 200,
      ...(questions && { questions }),
    };
    tasks.set(task.taskId, task);
    return task;
  };
  const kind: TaskKind = {
    name: 'slow_compute',
    permission: PERMISSION,
    scope: 'svc:read',
    get: async (_app, _caller, id) => structuredClone(tasks.get(id) ?? null),
    async update(_app, _caller, id, answers) {
      const task = tasks.get(id);
      if (!task) return null;
      const { questions, ...rest } = task;
      const left = Object.entries(questions ?? {}).filter(([name]) => !(name in answers));
      tasks.set(
        id,
        left.length > 0
          ? { ...rest, questions: Object.fromEntries(left) }
          : { ...rest, status: 'completed', result: content(text('all answered')) },
      );
      return true;
    },
    async cancel(_app, _caller, id) {
      const task = tasks.get(id);
      if (task) settle(task, { status: 'cancelled' });
      return task ? true : null;
    },
  };
  const after = (ms: number, end: Partial<Task>): Reply => {
    const task = start();
    const shown = { ...task };
    void sleep(ms, null, { ref: false }).then(() => settle(task, end));
    return { kind: 'task', task: shown };
  };
  return { kind, after, start };
}

const content = (of: Content[], isError = false) =>
  ({ kind: 'content', content: of, structured: {}, isError }) as const;

const { kind, after, start } = openTasks();
export const fixtureTasks = kind;

/** Tools that answer as a task where the client takes one. */
export const taskTools = [
  fixture('greet', (_exchange, { name }) => said(text(`Hello, ${String(name)}!`)), {
    input: z.object({ name: z.string().default('you') }),
  }),
  fixture(
    'slow_compute',
    async ({ takesTasks }, { seconds }) => {
      const ms = Number(seconds) * 1_000;
      const result = content(text(`computed for ${String(seconds)} s`));
      if (takesTasks) return after(ms, { status: 'completed', result });
      await sleep(ms);
      return result;
    },
    { input: z.object({ seconds: z.number().default(0), label: z.string().optional() }) },
  ),
  fixture(
    'failing_job',
    () => after(JOB_MS, { status: 'completed', result: content(text('the job failed'), true) }),
    { onlyAsTask: true },
  ),
  fixture('protocol_error_job', () =>
    after(JOB_MS, { status: 'failed', error: { code: -32_603, message: 'it broke' } }),
  ),
  fixture(
    'confirm_delete',
    () => ({
      kind: 'task',
      task: start({ sure: form('Delete it?', { confirm: { type: 'boolean' } }) }),
    }),
    { input: z.looseObject({}) },
  ),
  fixture('multi_input', () => ({
    kind: 'task',
    task: start({
      first: form('First?', { value: { type: 'string' } }),
      second: form('Second?', { value: { type: 'string' } }),
    }),
  })),
  fixture(
    'test_tool_with_task',
    ({ answers }) => {
      const name = answered(answers['user_name'], 'content', 'name');
      if (name === undefined) {
        return asks({ user_name: form('What is your name?', { name: { type: 'string' } }) });
      }
      return after(JOB_MS, { status: 'completed', result: content(text(`Hello, ${name}!`)) });
    },
    { onlyAsTask: true },
  ),
];
