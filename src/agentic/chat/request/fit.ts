import type { Refusable } from '../../../../providers/request/options.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import type { Sight } from '../../attachment/image.ts';
import type { Model } from '../../provider/model.ts';
import type { RequestMessage } from './message.ts';
import { type ChatRequest, MAX_MEDIA } from './request.ts';

/** As many as the body of a request can hold: 12 MB of base64. */
const MAX_BYTES_OF_TURN = 9 * 1024 * 1024;

const INSTEAD: Record<Refusable, string> = {
  json_object: 'json_schema is taken',
  json_schema: 'json_object is taken',
  logprobs: 'leave it out',
};

/** Refuses (400) what the model of a turn cannot do and what would be missed in its answer. */
export function demandFit(
  { question, later, sampling, format }: ChatRequest,
  model: Model,
  models: readonly Model[],
): void {
  const sees = [question, ...later].some(({ media }) => media.length > 0);
  if (sees && !model.capabilities.vision) {
    throw new BadRequest(cannotSee(model, models, 'images and PDFs'), { param: 'messages' });
  }
  const wanted: Record<Refusable, boolean> = {
    json_object: format?.type === 'json_object',
    json_schema: format?.type === 'json_schema',
    logprobs: sampling.logprobs !== undefined,
  };
  for (const name of model.provider.refuses ?? []) {
    if (!wanted[name]) continue;
    throw new BadRequest(`The provider of ${model.name} has no ${name}: ${INSTEAD[name]}`, {
      param: name === 'logprobs' ? name : 'response_format',
    });
  }
}

/** Earlier messages as a model can take them: a question of text is no question about a picture that was shown before. */
export function asSeen(
  earlier: readonly RequestMessage[],
  { capabilities }: Pick<Model, 'capabilities'>,
): readonly RequestMessage[] {
  if (capabilities.vision) return earlier;
  return earlier.map((message) =>
    message.media.length === 0
      ? message
      : { ...message, media: [], text: `${message.text}\n\n${UNSEEN}`.trim() },
  );
}

const UNSEEN = '(There was a picture or a PDF here, which this model cannot see.)';

function cannotSee(model: Model, models: readonly Model[], what: string): string {
  const seeing = models.filter(({ capabilities }) => capabilities.vision);
  const names = [...new Set(seeing.map(({ name }) => name))].slice(0, 20).join(', ');
  return `The model ${model.name} is not configured to see ${what}; ${names ? `models that are: ${names}` : 'no model here is'}`;
}

/**
 * What a turn may show its model of uploaded images, beside those in the request. A model that does not see gets a
 * sentence in place of them and no 400: the files belong to the conversation, which its other models go on with.
 */
export function sightOf(
  { question, later }: Pick<ChatRequest, 'question' | 'later'>,
  model: Model,
  models: readonly Model[],
): Sight {
  const contents = [question, ...later];
  const media = contents.flatMap((content) => content.media);
  const files = contents.flatMap((content) => content.files);
  const sent = media.reduce((sum, { base64 }) => sum + Buffer.byteLength(base64, 'base64'), 0);
  return {
    problem: model.capabilities.vision ? null : cannotSee(model, models, 'images'),
    count: MAX_MEDIA - media.length - files.length,
    bytes: MAX_BYTES_OF_TURN - sent,
  };
}

/** Whether a model can do what the request wants, so that it may answer in place of another. */
export function fits(request: ChatRequest, model: Model): boolean {
  // What was composed for a model that sees has its pictures.
  const shown = request.conversationId === undefined ? request.earlier : [];
  if (!model.capabilities.vision && shown.some(({ media }) => media.length > 0)) return false;
  try {
    demandFit(request, model, []);
    return true;
  } catch (error) {
    if (error instanceof BadRequest) return false;
    throw error;
  }
}
