import {
  type CompleteRequestParams,
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import { counted } from '../../auth/agent/budget.ts';
import { noteNames } from '../../auth/agent/marked.ts';
import { denialOf } from '../../auth/connection/denial.ts';
import type { App, Completer } from '../../kernel/app/app.ts';
import { type McpCall, type McpCaller, refuseEnded } from '../request/caller.ts';
import { visiblePrompts } from './prompt-adapter.ts';
import { offerOf } from './resource-adapter.ts';

const MAX_TYPED = 128;
const MAX_VALUES = 100;
/** How what it shows is noted. */
const COMPLETE = { name: 'completion/complete' };

/** Values for an argument of a prompt or a variable of a resource template; none where nothing is known. */
export async function complete(
  app: App,
  { present }: McpCall,
  { ref, argument }: CompleteRequestParams,
): Promise<CompleteResult> {
  return present(async (caller) => {
    refuseEnded(caller);
    const completer =
      ref.type === 'ref/prompt'
        ? ofPrompt(app, caller, ref.name, argument.name)
        : ofTemplate(app, caller, ref.uri, argument.name);
    return counted(app, caller, { calls: 1 }, async () => {
      const found = completer
        ? await completer(app, caller, argument.value.slice(0, MAX_TYPED))
        : [];
      const values = found.slice(0, MAX_VALUES);
      await noteNames(app, caller, COMPLETE, { field: 'completion.values[]', names: values });
      return { completion: { values } };
    });
  });
}

function ofPrompt(app: App, caller: McpCaller, name: string, of: string): Completer | undefined {
  const prompt = visiblePrompts(app.prompts, caller).find((one) => one.name === name);
  const found = prompt?.arguments.find((argument) => argument.name === of);
  if (!found) throw refused(prompt ? `The prompt has no argument ${short(of)}` : 'Unknown prompt');
  return found.complete;
}

function ofTemplate(app: App, caller: McpCaller, uri: string, of: string): Completer | undefined {
  const resource = app.resources.find(
    (one) => one.uri === uri && denialOf(caller, offerOf(one)) === null,
  );
  if (!resource) throw refused('Unknown resource template');
  if (!(of in resource.params.shape)) throw refused(`The template has no variable ${short(of)}`);
  return resource.complete?.[of];
}

const short = (text: string) => text.slice(0, 64);
const refused = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);
