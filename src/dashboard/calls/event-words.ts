import type { CallFact, CallSummary, EndReason } from '../../telephony/index.ts';

type Direction = CallSummary['direction'];

const FORWARD_ENDS: Readonly<Record<EndReason, string>> = {
  completed: 'Forwarding ended without reaching anyone',
  no_answer: 'Forwarded, but no one picked up',
  busy: 'Forwarded, but the line was busy',
  rejected: 'Forwarded, but declined',
  canceled: 'The caller hung up while being forwarded',
  failed: 'Forwarding failed',
  unknown: 'Forwarding ended',
};

const ENDS: Readonly<Record<EndReason, string>> = {
  completed: 'The call ended',
  no_answer: 'The call ended without an answer',
  busy: 'The call ended because the line was busy',
  rejected: 'The call was declined',
  canceled: 'The caller hung up',
  failed: 'The call failed',
  unknown: 'The call ended',
};

const ANSWERED: Readonly<Record<Direction, string>> = {
  inbound: 'The provider picked up and asked how to handle the call',
  outbound: 'Someone picked up',
};

const OTHERS: Readonly<Record<Exclude<CallFact['kind'], 'answered' | 'forward_ended' | 'ended' | 'other'>, string>> = {
  initiated: 'The call started',
  ringing: 'The phone rang',
  forwarded: 'The forwarded call was picked up',
  bridged: 'Someone talked to the caller',
  voicemail: 'The caller left a message',
};

/** What happened, in words. */
export const eventWords = ({ kind, reason, reachedHuman, raw }: CallFact, direction: Direction): string => {
  if (kind === 'answered') return ANSWERED[direction];
  if (kind === 'forward_ended')
    return reachedHuman ? 'Someone took the forwarded call' : FORWARD_ENDS[reason ?? 'unknown'];
  if (kind === 'ended')
    return direction === 'outbound' && reason === 'canceled' ? 'The call was canceled' : ENDS[reason ?? 'unknown'];
  if (kind === 'other') return raw === undefined ? 'Something else happened' : `The provider reported “${raw}”`;
  return OTHERS[kind];
};
