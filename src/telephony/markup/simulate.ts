import { FORM } from '../contract/delivery.ts';
import type { SimulatedCall, SimulatedRequest, Simulator } from '../contract/simulated-call.ts';
import { signText } from './verify.ts';

export type SimulatedIds = { call(id: string): string; recording(id: string): string };

const DIAL_STATUS = { reached: 'completed', no_answer: 'no-answer', busy: 'busy', given_up: 'canceled' } as const;

const textOf = (instant: number): string => new Date(instant).toUTCString();

/** The form requests of one call. */
export const tellMarkup =
  (ids: SimulatedIds) =>
  (call: SimulatedCall, accountId: string): SimulatedRequest[] => {
    const callSid = ids.call(call.id);
    const base = { AccountSid: accountId, CallSid: callSid };
    const ends = { From: call.from, To: call.to, Direction: 'inbound' };
    const request = (
      route: SimulatedRequest['route'],
      step: string,
      params: Readonly<Record<string, string>>,
    ): SimulatedRequest => ({
      method: 'POST',
      route,
      query: step === '' ? '' : `&step=${step}`,
      headers: { 'content-type': FORM },
      body: new URLSearchParams({ ...base, ...params }).toString(),
    });
    const status = (CallStatus: string, at: number, more = {}): SimulatedRequest =>
      request('voice', 'status', {
        ...ends,
        CallStatus,
        CallbackSource: 'call-progress-events',
        Timestamp: textOf(at),
        ...more,
      });
    const { forward, message } = call;
    const dialed = request('voice', 'dialed', {
      ...ends,
      CallStatus: 'in-progress',
      DialCallStatus: DIAL_STATUS[forward.result],
      DialBridged: String(forward.result === 'reached'),
      ...(forward.result === 'reached' ? { DialCallDuration: String(forward.talkSeconds) } : {}),
    });
    const recording = message && {
      RecordingSid: ids.recording(message.recordingId),
      RecordingDuration: String(message.seconds),
    };
    return [
      request('voice', '', { ...ends, CallStatus: 'ringing' }),
      status('initiated', call.startedAt),
      dialed,
      ...(recording ? [request('voice', 'voicemail', { ...ends, CallStatus: 'in-progress', ...recording })] : []),
      status('completed', call.endedAt, {
        CallDuration: String(Math.round((call.endedAt - call.startedAt) / 1_000)),
      }),
      ...(recording
        ? [
            request('recording', '', {
              ...recording,
              RecordingStatus: 'completed',
              RecordingChannels: '1',
              RecordingSource: 'RecordVerb',
            }),
          ]
        : []),
    ];
  };

/** As the verifier expects it: the URL, then the form's names and values in order. */
export const signMarkup =
  (header: string): Simulator['sign'] =>
  ({ body }, address, secret) => {
    const params = [...new URLSearchParams(body)].sort(([left], [right]) => (left < right ? -1 : 1));
    return { [header]: signText(secret, `${address}${params.flat().join('')}`) };
  };
