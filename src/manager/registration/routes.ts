import { get, post, type Route } from '../../route.ts';
import { OfDevice } from '../device/device.ts';
import { MakeProfile, makeProfile, ProfileMade } from './make-profile.ts';
import { ProfileProposal, propose, ProposeProfile } from './proposal.ts';
import { byDevice, Registered } from './registered.ts';

const reads = { needs: 'device:get', scope: 'svc:read', risk: 'read' } as const;

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
      summary: 'Makes the proposed profile with its points and gives it to the device',
      input: MakeProfile,
      output: ProfileMade,
    },
    makeProfile,
  ),
];
