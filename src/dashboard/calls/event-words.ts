import type { CallEvent, CallSummary, EndReason } from '../../telephony/index.ts';

type Direction = CallSummary['direction'];

const FORWARD_ENDS: Readonly<Record<EndReason, string>> = {
  completed: 'Forwarding ended, and no person was reached',
  no_answer: 'Forwarded, and nobody picked up',
  busy: 'Forwarded, and the line was busy',
  rejected: 'Forwarded, and it was declined',
  canceled: 'The caller hung up while it was forwarded',
  failed: 'Forwarding failed',
  unknown: 'Forwarding ended',
};

const ENDS: Readonly<Record<EndReason, string>> = {
  completed: 'The call ended',
  no_answer: 'The call ended without an answer',
  busy: 'The call ended: the line was busy',
  rejected: 'The call was declined',
  canceled: 'The caller hung up',
  failed: 'The call failed',
  unknown: 'The call ended',
};

const ANSWERED: Readonly<Record<Direction, string>> = {
  inbound: 'The provider took the call and asked what to do',
  outbound: 'Somebody picked up',
};

/** What happened, in words. */
export const eventWords = ({ kind, reason, reachedHuman, raw }: CallEvent, direction: Direction): string => {
  switch (kind) {
    case 'initiated':
      return 'The call began';
    case 'ringing':
      return 'It rang';
    case 'answered':
      return ANSWERED[direction];
    case 'forwarded':
      return 'The forwarded call was picked up';
    case 'bridged':
      return 'A person talked with the caller';
    case 'forward_ended':
      return reachedHuman ? 'A person took the forwarded call' : FORWARD_ENDS[reason ?? 'unknown'];
    case 'voicemail':
      return 'The caller left a message';
    case 'ended':
      return direction === 'outbound' && reason === 'canceled' ? 'The call was canceled' : ENDS[reason ?? 'unknown'];
    case 'other':
      return raw === undefined ? 'Something else happened' : `The provider said “${raw}”`;
  }
};
