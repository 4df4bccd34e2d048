type Add = (path: string, body: object) => Promise<string>;

/** A model provider and a model of it; switched off, so that the chat goes on with the model it has. */
export async function populateModels(add: Add) {
  const agentic = '/api/v3/agentic';
  const modelProvider = await add(`${agentic}/provider/config/add`, {
    name: 'vendor',
    baseUrl: 'https://models.example.org/v1',
    apiKey: 'sk-sample',
    enableFlag: 'DISABLE',
  });
  const modelConfig = await add(`${agentic}/model/config/add`, {
    model: 'vendor-1',
    providerId: modelProvider,
  });
  // Of keys: the turns of the tests are those of logins.
  const chatBudget = await add(`${agentic}/usage/budget/add`, {
    kind: 'key',
    unit: 'tokens',
    period: 'month',
    amount: '1000000000',
  });
  return { modelProvider, modelConfig, chatBudget };
}
