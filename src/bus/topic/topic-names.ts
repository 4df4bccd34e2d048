import { type TopicName, topics } from './topics.ts';

export const topicNames = (): TopicName[] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant
  Object.keys(topics) as TopicName[];
