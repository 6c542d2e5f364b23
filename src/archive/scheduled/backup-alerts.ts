/** Opens and resolves the operator's alert about backups. */
export type BackupAlerts = {
  open(about: { reason: 'failed' | 'overdue'; problem: string }): Promise<void>;
  resolve(): Promise<void>;
};
