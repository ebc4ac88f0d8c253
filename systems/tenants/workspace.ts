import { type Connected, connect, type ConnectOptions, type ItemOf } from '@singlet/model';
import { tenants } from './model.ts';

/** A task in the application's form. */
export type Task = ItemOf<(typeof tenants.entities)['Task']>;

/** A project with its tasks. */
export interface ProjectView {
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** The location of one tenant's work. */
export interface WorkspaceOptions {
  /** Of a session of that tenant. */
  readonly client: ConnectOptions['client'];
  readonly tenant: string;
  /** The name or, in another account, the ARN of the table. */
  readonly table?: string;
}

/** The work of one tenant. It puts the tenant into every key. The session ensures that no other tenant's keys are possible. */
export class Workspace {
  readonly #db: Connected<typeof tenants.entities, typeof tenants.patterns>;
  readonly #tenant: string;

  constructor({ client, tenant, table = 'Work' }: WorkspaceOptions) {
    this.#db = connect(tenants, { client, tables: { Work: table } });
    this.#tenant = tenant;
  }

  /** @throws {RuleError} `already-exists`. */
  async createProject(projectId: string, title: string): Promise<void> {
    await this.#db.createProject({ tenant: this.#tenant, projectId, title });
  }

  async project(projectId: string): Promise<ProjectView | undefined> {
    const { project, tasks } = await this.#db.project({ tenant: this.#tenant, projectId });
    return project && { title: project.title, tasks };
  }

  /** @throws {RuleError} `parent-missing` if the project does not exist. */
  async addTask(task: Pick<Task, 'projectId' | 'taskId' | 'text' | 'assignee'>): Promise<void> {
    await this.#db.addTask({ ...task, tenant: this.#tenant, status: 'open' });
  }

  async tasksOf(assignee: string): Promise<readonly Task[]> {
    return (await this.#db.tasksOf({ tenant: this.#tenant, assignee })).items;
  }

  /** @throws {RuleError} if the task is missing, or is done. */
  async finishTask(projectId: string, taskId: string): Promise<void> {
    await this.#db.finishTask({ tenant: this.#tenant, projectId, taskId });
  }

  async removeTask(projectId: string, taskId: string): Promise<void> {
    await this.#db.removeTask({ tenant: this.#tenant, projectId, taskId });
  }
}
