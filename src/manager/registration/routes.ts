import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerId, pageOfAnswers } from '../../kernel/entity/answer.ts';
import { OfDevice } from '../entity/of.ts';
import { claim, ClaimWaiting } from './claim.ts';
import { MakeProfile, makeProfile, ProfileMade } from './make-profile.ts';
import { ProfileProposal, propose, ProposeProfile } from './proposal.ts';
import { byDevice, Registered } from './registered.ts';
import { assign, AssignWaiting, page, Waiting, WaitingQuery } from './waiting.ts';

const reads = {
  needs: 'device:get',
  scope: 'svc:read',
  risk: 'read',
  reason: 'docs/specification/lwm2m.md, What a device registered',
} as const;

/** What devices registered at their driver, and profiles made of it. */
export const routes: readonly Route[] = [
  get(
    '/device/registration/get_by_device_id',
    {
      ...reads,
      summary: 'Answers what a device registered, with what the public object registry knows of it',
      input: OfDevice,
      output: Registered,
    },
    byDevice,
  ),
  post(
    '/device/registration/propose_profile',
    {
      ...reads,
      summary: 'Answers a profile with points for what a device registered; writes nothing',
      input: ProposeProfile,
      output: ProfileProposal,
    },
    propose,
  ),
  post(
    '/device/registration/make_profile',
    {
      needs: 'device:update',
      scope: 'interactive',
      risk: 'add',
      summary: 'Makes the proposed points, in the own profile of the device or in a new one',
      reason: 'docs/specification/lwm2m.md, What a device registered',
      input: MakeProfile,
      output: ProfileMade,
    },
    makeProfile,
  ),
  post(
    '/device/waiting/list',
    {
      needs: 'device:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Answers the endpoints that were refused because no device has them',
      reason: 'docs/specification/lwm2m.md, Waiting endpoints',
      input: WaitingQuery,
      output: pageOfAnswers(Waiting),
    },
    page,
  ),
  post(
    '/device/waiting/assign',
    {
      needs: 'device:add',
      scope: 'interactive',
      risk: 'update',
      summary: 'Gives a waiting endpoint to a tenant; for administrators of the platform tenant',
      reason: 'docs/specification/lwm2m.md, Waiting endpoints',
      input: AssignWaiting,
      output: z.void(),
    },
    assign,
  ),
  post(
    '/device/waiting/claim',
    {
      needs: 'device:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Makes a waiting endpoint that of a device; answers the id of the device',
      reason: 'docs/specification/lwm2m.md, Waiting endpoints',
      input: ClaimWaiting,
      output: AnswerId,
    },
    claim,
  ),
];
