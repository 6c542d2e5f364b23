/** The part of autocannon 8 that is used here, because it ships no types. */
declare module 'autocannon' {
  export type Options = {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds between samples, and between checks whether the time is over. */
    sampleInt: number;
    headers: Record<string, string>;
    method: 'GET' | 'POST';
  };

  export type Result = {
    /** Seconds. */
    duration: number;
    '1xx': number;
    '2xx': number;
    '3xx': number;
    '4xx': number;
    '5xx': number;
    errors: number;
    timeouts: number;
  };

  export default function autocannon(options: Options): Promise<Result>;
}
