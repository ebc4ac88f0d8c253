import { type Connected, connect, type ConnectOptions, type ItemOf } from '@singlet/model';
import { tenants } from './model.ts';

/** A task as the application knows it. */
export type Task = ItemOf<(typeof tenants.entities)['Task']>;

/** A project with its tasks. */
export interface ProjectView {
  readonly title: string;
  readonly tasks: readonly Task[];
}

/** Where the work of one tenant is. */
export interface WorkspaceOptions {
  /** Of a session of that tenant. */
  readonly client: ConnectOptions['client'];
  readonly tenant: string;
  /** The name or, in another account, the ARN of the table. */
  readonly table?: string;
}

/** The work of one tenant. It puts the tenant into every key; that it could put in no other is the business of its session. */
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

  /** @throws {RuleError} `parent-missing` where there is no such project. */
  async addTask(task: Pick<Task, 'projectId' | 'taskId' | 'text' | 'assignee'>): Promise<void> {
    await this.#db.addTask({ ...task, tenant: this.#tenant, status: 'open' });
  }

  async tasksOf(assignee: string): Promise<readonly Task[]> {
    return (await this.#db.tasksOf({ tenant: this.#tenant, assignee })).items;
  }

  /** @throws {RuleError} where the task is missing, or is done. */
  async finishTask(projectId: string, taskId: string): Promise<void> {
    await this.#db.finishTask({ tenant: this.#tenant, projectId, taskId });
  }

  async removeTask(projectId: string, taskId: string): Promise<void> {
    await this.#db.removeTask({ tenant: this.#tenant, projectId, taskId });
  }
}
