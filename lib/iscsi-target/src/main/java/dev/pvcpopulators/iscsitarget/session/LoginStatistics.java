package dev.pvcpopulators.iscsitarget.session;

/// How logins have ended since the server opened, discovery sessions included.
///
/// @param entered that began a session
/// @param unauthenticated refused for a wrong or missing proof of who it is, or for a target that
///   is not there for this initiator
/// @param refused refused for anything else, such as want of room
public record LoginStatistics(long entered, long unauthenticated, long refused) {}
