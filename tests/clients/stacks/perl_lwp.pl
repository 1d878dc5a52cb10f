use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Folders;
use HTTP::Request;
use LWP::UserAgent;

my $agent = LWP::UserAgent->new(keep_alive => 1);
for my $request (Folders::requests()) {
    my $asked = HTTP::Request->new($request->{method}, $request->{url}, $request->{fields}, $request->{body});
    my $answer = $agent->request($asked);
    my $own = $answer->header('Client-Warning');
    die $answer->status_line . "\n" if defined $own && $own eq 'Internal response';
    Folders::answered($request, $answer->code, $answer->content, $answer->headers->flatten);
}
