import { isoSeconds } from '../clock.ts';
import { SeededRandom } from '../demo/seeded-random.ts';
import type { Scheduler } from './scheduler.ts';

const NAMES = ['Transcribe audio', 'Verbatim', 'Cut silence', 'Translate', 'Subtitle'] as const;
const TYPES = ['mp3', 'wav', 'flac', 'ogg'] as const;

/** Writes waiting jobs that are due over the day after `startsAt`: 100,000 at scale 1. The same in every run. */
export async function seedJobs({ db }: Scheduler, startsAt: string, scale = 1): Promise<number> {
  const random = new SeededRandom(11);
  const start = Date.parse(startsAt) / 1000;
  const jobs = Array.from({ length: Math.max(1, Math.round(100_000 * scale)) }, (_, i) => {
    const dueAt = isoSeconds(start + random.integer(0, 86_399));
    return {
      jobId: `${i + 1}`,
      JobName: random.pick(NAMES),
      InputType: random.pick(TYPES),
      dueAt,
      scheduledFor: dueAt,
    };
  });
  await db.seedJobs(jobs);
  return jobs.length;
}
