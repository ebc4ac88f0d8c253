import { entity, model } from '@singlet/model';
import { z } from 'zod';

const id = z.string().regex(/^[A-Z0-9_]+$/);

/** P-06 Many to many: the relationship is an item of one side; an inverted index shows it from the other. */
export const sports = model('sports')
  .entities({
    Student: entity({ student: id, name: z.string() }),
    Sport: entity({ sport: id, coach: z.string() }),
    Membership: entity({ student: id, sport: id, studentName: z.string(), sportName: z.string() }),
  })
  .relationships([
    ['Student', 'N:M', 'Sport', { through: 'Membership' }],
    ['Student', '1:N', 'Membership', { required: true }],
    ['Sport', '1:N', 'Membership', { required: true }],
  ])
  .patterns({
    addStudent: { creates: 'Student' },
    addSport: { creates: 'Sport' },
    enrol: { creates: 'Membership', strategy: 'P-06' },
    leave: { deletes: 'Membership', by: ['student', 'sport'] },
    student: { reads: 'Student', by: ['student'] },
    studentWithSports: {
      reads: { student: 'Student', sports: ['Membership'] },
      by: ['student'],
      order: 'sport desc',
      limit: 25,
    },
    sports: { reads: ['Membership'], by: ['student'], limit: 25 },
    sportWithStudents: {
      reads: { sport: 'Sport', students: ['Membership'] },
      by: ['sport'],
      limit: 25,
      strategy: 'P-06',
    },
    students: { reads: ['Membership'], by: ['sport'], limit: 25 },
  })
  .tables({ Sports: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Student: { Sports: ['STUDENT#{student}', 'STUDENT#{student}'], GSI1: ['STUDENT#{student}', 'STUDENT#{student}'] },
    Sport: { Sports: ['SPORT#{sport}', 'SPORT#{sport}'], GSI1: ['SPORT#{sport}', 'SPORT#{sport}'] },
    Membership: { Sports: ['STUDENT#{student}', 'SPORT#{sport}'], GSI1: ['SPORT#{sport}', 'STUDENT#{student}'] },
  })
  .served({
    addStudent: 'PutItem',
    addSport: 'PutItem',
    enrol: 'TransactWriteItems',
    leave: 'DeleteItem',
    student: 'GetItem',
    studentWithSports: { query: 'Sports' },
    sports: { query: 'Sports' },
    sportWithStudents: { query: 'GSI1' },
    students: { query: 'GSI1' },
  });

/** P-07 A materialised graph: nodes with typed edges, and a hierarchy inside an edge. */
export const schoolGraph = model('schoolGraph')
  .entities({
    Student: entity({ student: id }),
    Teacher: entity({ teacher: id }),
    Lesson: entity({ student: id, teacher: id, subject: id }),
    Home: entity({ student: id, country: id, state: id, city: id }),
  })
  .relationships([
    ['Student', 'N:M', 'Teacher', { through: 'Lesson' }],
    ['Student', '1:1', 'Home'],
  ])
  .patterns({
    addStudent: { creates: 'Student' },
    addTeacher: { creates: 'Teacher' },
    attend: { creates: 'Lesson' },
    settle: { creates: 'Home' },
    node: {
      reads: { home: 'Home', student: 'Student', lessons: ['Lesson'] },
      by: ['student'],
      volume: { typical: 8, most: 50 },
      strategy: 'P-07',
      unproven: 'a student settles in one place at a time: one home is all there is',
    },
    lessons: { reads: ['Lesson'], by: ['student'], limit: 25 },
    lessonsWith: { reads: ['Lesson'], by: ['student', 'teacher'], limit: 25 },
    home: { reads: ['Home'], by: ['student'], limit: 1 },
    teacherWithStudents: {
      reads: { lessons: ['Lesson'], teacher: 'Teacher' },
      by: ['teacher'],
      order: 'student desc',
      limit: 25,
    },
    inCountry: { reads: ['Home'], by: ['country'], limit: 25 },
    inState: { reads: ['Home'], by: ['country', 'state'], limit: 25 },
    inCity: { reads: ['Home'], by: ['country', 'state', 'city'], limit: 25 },
  })
  .tables({ Graph: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Student: { Graph: ['STUDENT#{student}', 'STUDENT#{student}'] },
    Teacher: { Graph: ['TEACHER#{teacher}', 'TEACHER#{teacher}'], GSI1: ['TEACHER#{teacher}', 'TEACHER#{teacher}'] },
    Lesson: {
      Graph: ['STUDENT#{student}', 'TEACHER#{teacher}#CLASS#{subject}'],
      GSI1: ['TEACHER#{teacher}', 'STUDENT#{student}#CLASS#{subject}'],
    },
    Home: {
      Graph: ['STUDENT#{student}', 'HOME#{country}#{state}#{city}'],
      GSI1: ['COUNTRY#{country}', 'HOME#{state}#{city}#STUDENT#{student}'],
    },
  })
  .served({
    addStudent: 'PutItem',
    addTeacher: 'PutItem',
    attend: 'PutItem',
    settle: 'PutItem',
    node: { query: 'Graph' },
    lessons: { query: 'Graph' },
    lessonsWith: { query: 'Graph' },
    home: { query: 'Graph' },
    teacherWithStudents: { query: 'GSI1' },
    inCountry: { query: 'GSI1' },
    inState: { query: 'GSI1' },
    inCity: { query: 'GSI1' },
  });

/** P-43 Movies, actors and their roles: the movie has the attributes that change, the role does not change. */
export const casts = model('casts')
  .entities({
    Movie: entity({ movie: id, rating: z.number() }),
    Actor: entity({ actor: id }),
    Role: entity({ movie: id, actor: id, role: z.string() }),
  })
  .relationships([['Movie', 'N:M', 'Actor', { through: 'Role' }]])
  .patterns({
    addMovie: { creates: 'Movie' },
    addActor: { creates: 'Actor' },
    cast: { creates: 'Role' },
    rate: { updates: 'Movie', by: ['movie'], sets: ['rating'] },
    movie: { reads: 'Movie', by: ['movie'] },
    actorsOf: { reads: ['Role'], by: ['movie'], limit: 25, strategy: 'P-43' },
    moviesOf: { reads: ['Role'], by: ['actor'], limit: 25, strategy: 'P-43' },
  })
  .tables({ Casts: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Movie: { Casts: ['MOVIE#{movie}', 'MOVIE#{movie}'] },
    Actor: { Casts: ['ACTOR#{actor}', 'ACTOR#{actor}'], GSI1: ['ACTOR#{actor}', 'ACTOR#{actor}'] },
    Role: { Casts: ['MOVIE#{movie}', 'ACTOR#{actor}'], GSI1: ['ACTOR#{actor}', 'MOVIE#{movie}'] },
  })
  .served({
    addMovie: 'PutItem',
    addActor: 'PutItem',
    cast: 'PutItem',
    rate: 'UpdateItem',
    movie: 'GetItem',
    actorsOf: { query: 'Casts' },
    moviesOf: { query: 'GSI1' },
  });

/** P-44 A person is a collection of dated facts; the index regroups persons by their job. */
export const people = model('people')
  .entities({
    Job: entity({ person: id, job: id }),
    Event: entity({ person: id, date: z.iso.date(), event: id }),
  })
  .relationships([['Job', 'N:M', 'Event']])
  .patterns({
    hire: { creates: 'Job' },
    record: { creates: 'Event' },
    person: {
      reads: { events: ['Event'], jobs: ['Job'] },
      by: ['person'],
      volume: { typical: 5, most: 100 },
      strategy: 'P-44',
    },
    jobs: { reads: ['Job'], by: ['person'], limit: 25 },
    events: { reads: ['Event'], by: ['person'], range: 'date', limit: 25, strategy: 'P-44' },
    withJob: { reads: ['Job'], by: ['job'], limit: 25, strategy: 'P-44' },
  })
  .tables({ People: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    Job: { People: ['PERSON#{person}', 'JOB#{job}'], GSI1: ['JOB#{job}', 'PERSON#{person}'] },
    Event: { People: ['PERSON#{person}', 'EVENT#{date}#{event}'] },
  })
  .served({
    hire: 'PutItem',
    record: 'PutItem',
    person: { query: 'People' },
    jobs: { query: 'People' },
    events: { query: 'People' },
    withJob: { query: 'GSI1' },
  });

/** P-45 Followers with names and pictures that change often: one Query reads the keys, batches of a hundred the profiles. */
export const profiles = model('profiles')
  .entities({
    User: entity({ user: id, name: z.string() }),
    Following: entity({ follower: id, followed: id }),
  })
  .relationships([['User', 'N:M', 'User', { through: 'Following' }]])
  .patterns({
    signUp: { creates: 'User' },
    rename: { updates: 'User', by: ['user'], sets: ['name'] },
    close: { deletes: 'User', by: ['user'] },
    follow: { creates: 'Following' },
    followers: { reads: ['Following'], by: ['followed'], order: 'follower asc', limit: 300, strategy: 'P-45' },
    following: { reads: ['Following'], by: ['follower'], order: 'followed asc', limit: 300 },
    profiles: { reads: 'User', by: ['user'], each: true, volume: { typical: 100, most: 300 }, strategy: 'P-45' },
  })
  .tables({ Profiles: { key: ['PK', 'SK'], indexes: { GSI1: ['GSI1PK', 'GSI1SK'] } } })
  .keys({
    User: { Profiles: ['USER#{user}', 'USER#{user}'] },
    Following: {
      Profiles: ['USER#{follower}', 'FOLLOWING#{followed}'],
      GSI1: ['FOLLOWED#{followed}', 'USER#{follower}'],
    },
  })
  .served({
    signUp: 'PutItem',
    rename: 'UpdateItem',
    close: 'DeleteItem',
    follow: 'PutItem',
    followers: { query: 'GSI1' },
    following: { query: 'Profiles' },
    profiles: 'BatchGetItem',
  });
