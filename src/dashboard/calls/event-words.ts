import type { CallEvent, CallSummary, EndReason } from '../../telephony/index.ts';

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

/** What happened, in words. */
export const eventWords = ({ kind, reason, reachedHuman, raw }: CallEvent, direction: Direction): string => {
  switch (kind) {
    case 'initiated':
      return 'The call started';
    case 'ringing':
      return 'The phone rang';
    case 'answered':
      return ANSWERED[direction];
    case 'forwarded':
      return 'The forwarded call was picked up';
    case 'bridged':
      return 'Someone talked with the caller';
    case 'forward_ended':
      return reachedHuman ? 'Someone took the forwarded call' : FORWARD_ENDS[reason ?? 'unknown'];
    case 'voicemail':
      return 'The caller left a message';
    case 'ended':
      return direction === 'outbound' && reason === 'canceled' ? 'The call was canceled' : ENDS[reason ?? 'unknown'];
    case 'other':
      return raw === undefined ? 'Something else happened' : `The provider said “${raw}”`;
  }
};
