pub const EXAMPLES: [(&str, &str); 6] = [
    (
        "Kernels by device time",
        "SELECT name, sum(duration_ns) / 1e6 AS ms, count(*) AS runs, max(duration_ns) AS max_ns
FROM executions WHERE kind = 'kernel' AND NOT in_pieces
GROUP BY name ORDER BY ms DESC",
    ),
    (
        "Longest executions",
        "SELECT name, duration_ns, start_ns, queue, slice, track
FROM executions ORDER BY duration_ns DESC LIMIT 20",
    ),
    (
        "Longest waits of the host",
        "SELECT name, duration_ns, start_ns, file, line, slice, track
FROM slices WHERE category = 'wait' ORDER BY duration_ns DESC LIMIT 20",
    ),
    (
        "Copies by size",
        "SELECT args ->> '$.bytes' AS bytes, count(*) AS copies, avg(duration_ns) AS mean_ns
FROM executions WHERE kind = 'copy' GROUP BY bytes ORDER BY bytes DESC",
    ),
    (
        "Idle time before each execution",
        "SELECT name, start_ns - max(start_ns + duration_ns) OVER (PARTITION BY queue ORDER BY start_ns
         ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS idle_ns,
       queue, start_ns, duration_ns, slice, track
FROM executions ORDER BY idle_ns DESC LIMIT 20",
    ),
    (
        "Calls that cost most",
        "SELECT name, sum(duration_ns) AS total_ns, count(*) AS calls, avg(duration_ns) AS mean_ns
FROM calls GROUP BY name ORDER BY total_ns DESC LIMIT 30",
    ),
];
