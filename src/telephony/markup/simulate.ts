import { FORM } from '../contract/delivery.ts';
import type { TelephonyProvider } from '../contract/provider.ts';
import type { SimulatedCall, SimulatedRequest, Simulator } from '../contract/simulated-call.ts';
import type { Dialect } from './dialect.ts';
import { signText } from './verify.ts';

const DIAL_STATUS = { reached: 'completed', no_answer: 'no-answer', busy: 'busy', given_up: 'canceled' } as const;

const textOf = (instant: number): string => new Date(instant).toUTCString();

/** Makes the form requests of one call. */
const tellIn =
  ({ toCallSid, toRecordingSid }: Dialect): Simulator['tell'] =>
  (call: SimulatedCall, accountId: string): SimulatedRequest[] => {
    const base = { AccountSid: accountId, CallSid: toCallSid(call.id) };
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
      RecordingSid: toRecordingSid(message.recordingId),
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
            request('recording', '', {
              ...ends,
              RecordingSid: recording.RecordingSid,
              TranscriptionStatus: 'completed',
              TranscriptionText: message?.words ?? '',
            }),
          ]
        : []),
    ];
  };

/** Signs as the verifier expects it: the URL, then the form's names and values in order. */
const signIn =
  ({ signatureHeaders: [header] }: Dialect): Simulator['sign'] =>
  ({ body }, address, secret) => {
    const params = [...new URLSearchParams(body)].sort(([left], [right]) => (left < right ? -1 : 1));
    return { [header]: signText(secret, `${address}${params.flat().join('')}`) };
  };

export const simulateMarkup = (dialect: Dialect): Pick<Simulator, 'tell' | 'sign'> => ({
  tell: tellIn(dialect),
  sign: signIn(dialect),
});

/** Makes a notice about the end of a call, with an id that no call has. */
export const sampleNoticeIn =
  (dialect: Dialect): TelephonyProvider['sampleNotice'] =>
  ({ address, accountId, secret }) => {
    const body = new URLSearchParams({
      ...(accountId === null ? {} : { AccountSid: accountId }),
      CallSid: dialect.toCallSid('0'.repeat(32)),
      CallStatus: 'completed',
    }).toString();
    return { headers: { 'content-type': FORM, ...signIn(dialect)({ body }, address, secret) }, body };
  };
