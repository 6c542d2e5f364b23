/** Whether a host is this very machine, whoever asks. */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
