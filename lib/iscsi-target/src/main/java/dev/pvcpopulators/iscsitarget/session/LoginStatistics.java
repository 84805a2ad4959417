package dev.pvcpopulators.iscsitarget.session;

/// The outcomes of logins since the server was opened, including the logins of discovery sessions.
/// A login that ends without an outcome, for example because the connection is lost, is not
/// counted.
///
/// @param entered logins that started a session
/// @param unauthenticated logins refused for one of these reasons: the proof of identity is wrong
///   or missing, the target does not exist, or the initiator is not allowed to see the target
/// @param refused logins refused for any other reason, such as too many sessions or a target that
///   was removed during the login
public record LoginStatistics(long entered, long unauthenticated, long refused) {}
