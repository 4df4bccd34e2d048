import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerId, Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import * as modelConfig from './model-config.ts';
import * as model from './model.ts';
import * as provider from './provider.ts';

/** Routes of a tenant's model providers and models. */
export const routes: readonly Route[] = [
  get(
    '/model/list',
    {
      needs: 'model:list',
      scope: 'svc:chat',
      risk: 'read',
      summary: 'Models the chat box may offer',
      input: model.ListModels,
      output: z.array(model.ModelItem),
    },
    model.list,
  ),
  get(
    '/model/config/list',
    {
      needs: 'model:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Models of the tenant with what they can do',
      input: modelConfig.ListModelConfigs,
      output: z.array(modelConfig.ModelConfig.schema),
    },
    modelConfig.list,
  ),
  post(
    '/model/config/add',
    {
      needs: 'model:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Offer a model of a provider',
      input: modelConfig.AddModelConfig,
      output: AnswerId,
    },
    modelConfig.add,
  ),
  post(
    '/model/config/update',
    {
      needs: 'model:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Change a model; one default per tenant',
      input: modelConfig.UpdateModelConfig,
      output: modelConfig.ModelConfig.schema,
    },
    modelConfig.update,
  ),
  post(
    '/model/config/delete',
    {
      needs: 'model:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Offer a model no more',
      input: ById,
      output: Done,
    },
    modelConfig.remove,
  ),
  get(
    '/provider/list',
    {
      needs: 'provider:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Model providers of the tenant, never their keys',
      input: provider.ListProviders,
      output: z.array(provider.ModelProvider.schema),
    },
    provider.list,
  ),
  post(
    '/provider/config/add',
    {
      needs: 'provider:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Add a model provider; its key is kept encrypted and never answered',
      input: provider.AddProvider,
      output: AnswerId,
    },
    provider.add,
  ),
  post(
    '/provider/config/update',
    {
      needs: 'provider:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Change a model provider; another address forgets the key',
      input: provider.UpdateProvider,
      output: provider.ModelProvider.schema,
    },
    provider.update,
  ),
  post(
    '/provider/config/delete',
    {
      needs: 'provider:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Delete a model provider that has no models',
      input: ById,
      output: Done,
    },
    provider.remove,
  ),
];
