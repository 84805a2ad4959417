package dev.pvcpopulators.iscsitarget.unit;

/// The activity of a logical unit since its creation.
///
/// @param reads READ commands that ended with GOOD
/// @param writes WRITE, WRITE AND VERIFY and WRITE ATOMIC commands that ended with GOOD
/// @param bytesRead bytes that the CDBs of these READ commands state
/// @param bytesWritten bytes that the CDBs of these write commands state
/// @param waiting commands that wait for data that is still to arrive
public record UnitStatistics(
    long reads, long writes, long bytesRead, long bytesWritten, int waiting) {}
