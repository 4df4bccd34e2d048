import type { Media } from '../../../../providers/request/media.ts';
import type { Refusable } from '../../../../providers/request/options.ts';
import type { App } from '../../../kernel/app/app.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import type { Sight } from '../../attachment/image.ts';
import { formatOf } from '../../document/file-kind.ts';
import { textApart } from '../../document/read.ts';
import type { Model } from '../../provider/model.ts';
import type { Content, SentFile } from './content.ts';
import { MAX_EXCERPT } from './files.ts';
import { type ChatRequest, MAX_MEDIA } from './request.ts';

/** As many as the body of a request can hold: 12 MB of base64. */
const MAX_BYTES_OF_TURN = 9 * 1024 * 1024;

/** A turn does not wait longer for the text of its documents. */
const MAX_READING_MS = 15_000;

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
  const sees = [question, ...later].some(({ media }) => media.some(isImage));
  if (sees && !model.capabilities.vision) {
    throw new BadRequest(cannotSee(model, models, 'images'), { param: 'messages' });
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

const isImage = ({ kind }: Media): boolean => kind === 'image';

/**
 * Messages as a model can take them, with the text of their documents. One that does not see gets the text of a PDF too,
 * and a sentence in place of a picture: a question of text is no question about a picture that was shown before.
 */
export async function asSeen<C extends Content>(
  app: App,
  contents: readonly C[],
  { capabilities }: Pick<Model, 'capabilities'>,
): Promise<readonly C[]> {
  const until = app.clock.elapsed() + MAX_READING_MS;
  const seen: C[] = [];
  for (const content of contents) {
    const files: SentFile[] = [];
    for (const file of content.files) files.push(await readFile(app, file, until));
    if (capabilities.vision) {
      seen.push({ ...content, files });
      continue;
    }
    for (const part of content.media)
      if (part.kind === 'pdf') files.push(await readFile(app, pdfFile(part), until));
    const text = content.media.some(isImage) ? `${content.text}\n\n${UNSEEN}`.trim() : content.text;
    seen.push({ ...content, text, files, media: [] });
  }
  return seen;
}

const UNSEEN = '(There was a picture here, which this model cannot see.)';

function pdfFile({ fileName, base64 }: Extract<Media, { kind: 'pdf' }>): SentFile {
  const unread = Buffer.from(base64, 'base64');
  return { fileName, contentType: 'application/pdf', size: unread.length, text: '', unread };
}

async function readFile(app: App, given: SentFile, until: number): Promise<SentFile> {
  const { unread: bytes, ...file } = given;
  const format = formatOf(file.contentType);
  if (!bytes || !format) return file;
  const limits = { length: MAX_EXCERPT, withinMs: Math.max(0, until - app.clock.elapsed()) };
  const read = await textApart(app, { bytes, format }, limits);
  return 'problem' in read
    ? { ...file, problem: read.problem }
    : { ...file, text: read.excerpt.replaceAll('\f', '\n'), isWhole: read.isWhole };
}

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

/** Whether a model can do what the request wants, so that it may answer in place of `first`. */
export function fits(request: ChatRequest, model: Model, first: Model): boolean {
  // What was composed for a model that sees has its pictures and PDFs.
  const shown = [
    ...(request.conversationId === undefined ? request.earlier : []),
    request.question,
    ...request.later,
  ];
  const isBlind = first.capabilities.vision && !model.capabilities.vision;
  if (isBlind && shown.some(({ media }) => media.length > 0)) return false;
  try {
    demandFit(request, model, []);
    return true;
  } catch (error) {
    if (error instanceof BadRequest) return false;
    throw error;
  }
}
