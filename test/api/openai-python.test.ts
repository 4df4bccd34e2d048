import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, frame, say } from '../support/neighbours/model.ts';
import { startSdkWorld } from '../support/neighbours/sdk-world.ts';
import { inTurn, results } from '../support/people/chat-world.ts';
import { withFacts } from '../support/people/chat.ts';
import { eventually } from '../support/world/eventually.ts';

/** Of a Python that has OpenAI's library: `.ci/run` installs one. */
const PYTHON = process.env['SVC_TEST_PYTHON'] ?? 'python3';
const RUN_MS = 60_000;
const hasLibrary = spawnSync(PYTHON, ['-c', 'import openai']).status === 0;
if (!hasLibrary && process.env['CI'])
  throw new Error(`${PYTHON} has no package openai: set SVC_TEST_PYTHON to one that has`);
if (!hasLibrary)
  console.warn(`left out: ${PYTHON} has no package openai, SVC_TEST_PYTHON may name one that has`);

const START = `
import json, os, sys
from openai import OpenAI, APIStatusError
client = OpenAI(base_url=os.environ["BASE"], api_key=os.environ["KEY"], max_retries=0)
model = os.environ["MODEL"]
given = json.loads(os.environ["GIVEN"])
messages = [{"role": "user", "content": "warm outside?"}]
parameters = {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"], "additionalProperties": False}
weather = {"name": "getWeather", "description": "Weather of a place", "parameters": parameters}
chat_tools = [{"type": "function", "function": weather}]
def give(value):
    print(json.dumps(value, default=lambda one: one.model_dump()))
`;
import { started } from '../support/world/prepared.ts';

const sdk = started(startSdkWorld);

beforeEach(() => sdk.chatWorld.answer(() => say('All is well.')));

/** Runs a program against the platform; what it gives. */
async function python(program: string, given: object = {}): Promise<unknown> {
  const { baseURL, apiKey, model } = sdk;
  const child = spawn(PYTHON, ['-'], {
    env: {
      PATH: process.env['PATH'],
      BASE: baseURL,
      KEY: apiKey,
      MODEL: model,
      GIVEN: JSON.stringify(given),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: RUN_MS,
    killSignal: 'SIGKILL',
  });
  child.stdin.end(START + program);
  const [said, failure, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(failure);
  return JSON.parse(said);
}

/** The platform's tool first, then the client's, then the answer. */
const agentic = () =>
  sdk.chatWorld.answer((sent) => {
    const said = inTurn(sent);
    if (said === 0) return call(['searchDevices', {}]);
    return said === 2 ? call(['getWeather', { place: 'here' }]) : say('Warm and sunny.');
  });

/** Asks until no tool of its own is called, streamed or not; `seen`: the answers or chunks as they came. */
const LOOP = `
seen = []
def ask(streamed):
    if not streamed:
        seen.append(client.chat.completions.create(model=model, messages=messages, tools=chat_tools))
        return seen[-1]
    with client.chat.completions.stream(model=model, messages=messages, tools=chat_tools) as stream:
        for event in stream:
            if event.type == "chunk":
                seen.append(event.chunk)
        return stream.get_final_completion()
def loop(streamed):
    answers = []
    while True:
        answers.append(ask(streamed))
        message = answers[-1].choices[0].message
        if not message.tool_calls:
            return answers
        messages.append({"role": "assistant", "content": message.content, "tool_calls": [
            {"id": one.id, "type": "function", "function": {"name": one.function.name, "arguments": one.function.arguments}}
            for one in message.tool_calls]})
        for one in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": one.id, "content": '{"sky":"sunny"}'})
`;
const ways = [
  ['streamed', true],
  ['at once', false],
] as const;

describe.runIf(hasLibrary)("OpenAI's library for Python, unchanged", () => {
  it.each(ways)('runs its tools beside those of the platform: %s', async (_how, streamed) => {
    agentic();
    const program = `${LOOP}
give([one.choices[0].message.content for one in loop(given["streamed"])])`;
    expect(await python(program, { streamed })).toEqual([
      streamed ? '' : null,
      withFacts('Warm and sunny.'),
    ]);
    expect(results(sdk.chatWorld.model.requests.at(-1)).at(-1)).toEqual({ sky: 'sunny' });
  });

  it('gets a structured output, and reads models, images and errors', async () => {
    sdk.chatWorld.answer((sent) =>
      sent['response_format'] ? say('{"warm":true}') : say('It is warm.'),
    );
    const program = `
from pydantic import BaseModel
class State(BaseModel):
    warm: bool
parsed = client.chat.completions.parse(model=model, messages=messages, response_format=State)
picture = [{"role": "user", "content": [{"type": "text", "text": "?"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}]
def refused(**more):
    try:
        client.chat.completions.create(**{"model": model, "messages": messages, **more})
    except APIStatusError as error:
        return [error.status_code, type(error).__name__, error.code]
give({
    "parsed": parsed.choices[0].message.parsed,
    "models": [one.id for one in client.models.list()],
    "picture": refused(messages=picture),
    "unknown": refused(model="gpt-none"),
})`;
    expect(await python(program)).toEqual({
      parsed: { warm: true },
      models: ['fake-1'],
      picture: [400, 'BadRequestError', expect.any(String)],
      unknown: [404, 'NotFoundError', 'model_not_found'],
    });
  });

  it('stops the model when it leaves', async () => {
    const left = sdk.chatWorld.model.left();
    sdk.chatWorld.answer(() => (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(
        frame({ choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] }),
      );
    });
    const program = `
stream = client.chat.completions.create(model=model, messages=messages, stream=True)
for chunk in stream:
    if chunk.choices and chunk.choices[0].delta.content:
        break
stream.close()
give("left")`;
    expect(await python(program)).toBe('left');
    await eventually(
      async () => sdk.chatWorld.model.left(),
      (count) => count > left,
    );
  });

  it('goes on from a response by its id, and gets its events', async () => {
    const program = `
first = client.responses.create(model=model, input="hello")
with client.responses.stream(model=model, input="and?", previous_response_id=first.id) as stream:
    types = {event.type for event in stream}
    second = stream.get_final_response()
give([first.output_text, second.output_text, second.previous_response_id == first.id, "response.completed" in types])`;
    expect(await python(program)).toEqual([
      withFacts('All is well.'),
      withFacts('All is well.'),
      true,
      true,
    ]);
  });

  it.each(ways)('comes through a pending action to its receipt: %s', async (how, streamed) => {
    const value = streamed ? 23 : 24;
    sdk.chatWorld.answer((sent) =>
      inTurn(sent) === 0 ? call(['getWeather', { place: 'here' }]) : sdk.proposal(sent, value),
    );
    const program = `${LOOP}
loop(given["streamed"])
give(seen)`;
    const answers = z.array(z.unknown()).parse(await python(program, { streamed }));
    expect(JSON.stringify(answers), how).toContain('nothing has been written');
    const { actionId, conversationId } = await sdk.confirmed(answers);
    const again = `
answer = client.chat.completions.create(model=model, messages=messages, extra_headers={"x-conversation-id": given["conversation"]})
give(answer.choices[0].message.content)`;
    expect(await python(again, { conversation: conversationId })).toEqual(
      withFacts('It is written.'),
    );
    sdk.expectReceipt(actionId, value);
  });
});
