/** Every telephony provider. Each recognizes only its own requests, and they are asked in this order. */
import type { TelephonyProvider } from '../contract/provider.ts';
import { bandwidth } from './bandwidth/index.ts';
import { plivo } from './plivo/index.ts';
import { signalwire } from './signalwire/index.ts';
import { telnyx } from './telnyx/index.ts';
import { twilio } from './twilio/index.ts';
import { vonage } from './vonage/index.ts';

export const PROVIDERS: readonly TelephonyProvider[] = [twilio, signalwire, telnyx, plivo, vonage, bandwidth];
