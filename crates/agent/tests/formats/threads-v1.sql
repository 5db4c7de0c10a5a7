-- A store of threads as version 1 of the tables had it. Never changed: later versions have to open it.
PRAGMA application_id=1346720329;
PRAGMA user_version=1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE thread (
    id text primary key,
    owner text,
    question text not null,
    created_at integer not null,
    updated_at integer not null,
    position integer not null,
    turns integer not null,
    finished integer not null
) strict, without rowid;
INSERT INTO thread VALUES('kept-since-version-1',NULL,'Wie groß ist Bärlin? 🗺',1796000000123456,1796000002123456,4,2,1);
CREATE TABLE record (
    thread text not null references thread on delete cascade,
    position integer not null,
    turn integer not null,
    body text not null,
    primary key (thread, position)
) strict;
INSERT INTO record VALUES('kept-since-version-1',0,1,'{"record":"turn_started","turn":1,"run":"ce4bf272da98404bae4d5bf4ba32a2df","message_id":"question-1","text":"question 1","at":"2026-11-30T00:53:21.123456Z"}');
INSERT INTO record VALUES('kept-since-version-1',1,1,'{"record":"called","message_id":"m2","result":{"call_id":"c1","tool":"areas__pick","text":"Found it.\n\n[state updated: …]"},"artifact":{},"writes":[{"key":"areas/pick/area","value":"ce3c518441a689840ecbaa9579edd2b3b8ed2a279d78a5467a55462d84208c46","tool":"pick"}]}');
INSERT INTO record VALUES('kept-since-version-1',2,1,'{"record":"turn_finished","outcome":{"type":"answered"},"at":"2026-11-30T00:53:22.123456Z"}');
INSERT INTO record VALUES('kept-since-version-1',3,2,'{"record":"turn_started","turn":2,"run":"2c39444058294ce89a581eb1d0514b7e","message_id":"question-2","text":"question 2","at":"2026-11-30T00:53:22.123456Z"}');
CREATE TABLE snapshot (
    thread text not null references thread on delete cascade,
    turn integer not null,
    body text not null,
    primary key (thread, turn)
) strict;
INSERT INTO snapshot VALUES('kept-since-version-1',1,'{"turn":1,"entries":{"areas/pick/area":{"value":"ce3c518441a689840ecbaa9579edd2b3b8ed2a279d78a5467a55462d84208c46","tool":"pick","seq":1,"turn":1,"turns_written":1}}}');
CREATE TABLE value (
    hash text primary key,
    body text not null
) strict;
INSERT INTO value VALUES('ce3c518441a689840ecbaa9579edd2b3b8ed2a279d78a5467a55462d84208c46','{"name":"Größe 🗺"}');
CREATE TABLE value_use (
    thread text not null references thread on delete cascade,
    turn integer not null,
    hash text not null references value,
    primary key (thread, turn, hash)
) strict, without rowid;
INSERT INTO value_use VALUES('kept-since-version-1',1,'ce3c518441a689840ecbaa9579edd2b3b8ed2a279d78a5467a55462d84208c46');
CREATE INDEX thread_by_age on thread (created_at, id);
CREATE INDEX thread_by_owner on thread (owner, created_at, id);
CREATE INDEX value_use_by_hash on value_use (hash);
COMMIT;
