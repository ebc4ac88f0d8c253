import { entity, model } from '@singlet/model';
import { z } from 'zod';

/** Text without the separator of keys. */
const id = z.string().regex(/^[^#]+$/);

/** Projects and tasks of several companies in one table. Every key begins with the company, which is the tenant. */
export const tenants = model('tenants')
  // 1. What there is
  .entities({
    Project: entity({ tenant: id, projectId: id, title: z.string() }),
    Task: entity({
      tenant: id,
      projectId: id,
      taskId: id,
      text: z.string(),
      assignee: id,
      status: z.enum(['open', 'done']),
    }),
  })
  .relationships([['Project', '1:N', 'Task', { required: true }]])

  // 2. What the application needs
  .patterns({
    createProject: { actor: 'member', creates: 'Project' },
    project: {
      actor: 'member',
      reads: { project: 'Project', tasks: ['Task'] },
      by: ['tenant', 'projectId'],
      limit: 50,
    },
    addTask: { actor: 'member', creates: 'Task' },
    tasksOf: { actor: 'member', reads: ['Task'], by: ['tenant', 'assignee'], limit: 50 },
    finishTask: {
      actor: 'member',
      updates: 'Task',
      by: ['tenant', 'projectId', 'taskId'],
      changes: { status: 'done' },
      given: { status: 'open' },
    },
    removeTask: { actor: 'member', deletes: 'Task', by: ['tenant', 'projectId', 'taskId'] },
  })

  // 3. Keys and indexes
  .tables({
    Work: { key: ['PK', 'SK'], indexes: { ByAssignee: ['GSI1PK', 'GSI1SK'] }, tenant: 'tenant' },
  })
  .keys({
    Project: { Work: ['T#{tenant}#PROJECT#{projectId}', 'PROJECT'] },
    Task: {
      Work: ['T#{tenant}#PROJECT#{projectId}', 'TASK#{taskId}'],
      ByAssignee: ['T#{tenant}#PERSON#{assignee}', 'TASK#{projectId}#{taskId}'],
    },
  })

  // 4. How each pattern is served
  .served({
    createProject: 'PutItem',
    project: { query: 'Work' },
    addTask: 'TransactWriteItems',
    tasksOf: { query: 'ByAssignee' },
    finishTask: 'UpdateItem',
    removeTask: 'DeleteItem',
  });
