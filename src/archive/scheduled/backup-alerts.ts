/** Tells the operator. */
export type BackupAlerts = {
  open(about: { reason: 'failed' | 'overdue'; problem: string }): Promise<void>;
  resolve(): Promise<void>;
};
